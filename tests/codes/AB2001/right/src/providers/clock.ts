// café
export default () => 0;
