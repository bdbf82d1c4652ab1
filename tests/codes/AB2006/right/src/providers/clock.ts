export default () => 0;
